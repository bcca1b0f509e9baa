// Before the first paint: a page that is light for a moment hurts in the dark.
try {
  const theme = localStorage.getItem("konveier.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Where storage is forbidden, the theme is that of the system.
}
