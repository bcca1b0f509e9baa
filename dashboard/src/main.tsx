import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import "./style/base.css";
import "./style/layout.css";
import "./style/controls.css";
import "./style/charts.css";
import "./style/overview.css";
import "./style/first-run.css";
import "./style/queues.css";
import "./style/shell.css";
import "./style/schedules.css";
import "./style/settings.css";
import "./style/json.css";
import "./style/job.css";
import "./style/dead.css";
import "./style/jobs.css";
import "./style/flows.css";

const root = document.getElementById("root");
if (root === null) throw new Error("The document has no root element");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
