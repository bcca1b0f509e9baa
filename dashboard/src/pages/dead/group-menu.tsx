import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { useCopy } from "../../ui/copy.js";
import { Icon } from "../../ui/icon.js";
import { useRefusal } from "../../ui/allowed-button.js";
import { MenuButton, MenuItem } from "../../ui/menu.js";

/** What is wanted more rarely. */
export function GroupMenu({
  markdown,
  jobs,
  onDelete,
}: {
  readonly markdown: () => string;
  /** Where the jobs are listed. */
  readonly jobs: string;
  readonly onDelete: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [, navigate] = useLocation();
  const refusal = useRefusal("administer");
  const copy = useCopy();
  return (
    <MenuButton label={t("dead.more")} face={<Icon name="more" />} className="button quiet icon">
      <MenuItem
        icon="jobs"
        onChoose={() => {
          navigate(jobs);
        }}
      >
        {t("dead.view")}
      </MenuItem>
      <MenuItem
        icon="copy"
        onChoose={() => {
          copy(markdown());
        }}
      >
        {t("dead.copy")}
      </MenuItem>
      <MenuItem icon="trash" danger refusal={refusal} onChoose={onDelete}>
        {t("dead.deleteAll")}
      </MenuItem>
    </MenuButton>
  );
}
