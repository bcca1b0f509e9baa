import type { ReactNode } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useLocation } from "wouter";
import { useTexts } from "../../i18n/text.js";
import { useCopy } from "../../ui/copy.js";
import { Icon } from "../../ui/icon.js";
import { useRefusal } from "../../ui/allowed-button.js";

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
    <MenuTrigger>
      <Button className="button quiet icon" aria-label={t("dead.more")}>
        <Icon name="more" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={t("dead.more")}>
          <MenuItem
            className="menu-item"
            textValue={t("dead.view")}
            onAction={() => {
              navigate(jobs);
            }}
          >
            <Icon name="jobs" />
            {t("dead.view")}
          </MenuItem>
          <MenuItem
            className="menu-item"
            textValue={t("dead.copy")}
            onAction={() => {
              copy(markdown());
            }}
          >
            <Icon name="copy" />
            {t("dead.copy")}
          </MenuItem>
          <MenuItem
            className="menu-item danger"
            textValue={t("dead.deleteAll")}
            isDisabled={refusal !== null}
            onAction={onDelete}
          >
            <Icon name="trash" />
            <span>
              {t("dead.deleteAll")}…{refusal !== null && <span className="menu-reason">{refusal}</span>}
            </span>
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
