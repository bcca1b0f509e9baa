import type { ReactNode } from "react";
import { useTexts } from "../../i18n/text.js";
import { Icon } from "../../ui/icon.js";
import { MenuButton, MenuChoice } from "../../ui/menu.js";
import { COLUMNS, setListPreferences, useListPreferences, type Column } from "./columns.js";

/** Which columns the table has. */
export function ColumnMenu(): ReactNode {
  const { t } = useTexts();
  const { columns } = useListPreferences();
  const toggle = (toggled: Column): void => {
    setListPreferences({
      columns: COLUMNS.filter((column) => columns.includes(column) !== (column === toggled)),
    });
  };
  return (
    <MenuButton
      label={t("jobs.columns")}
      face={
        <>
          {t("jobs.columns")}
          <Icon name="down" />
        </>
      }
    >
      {COLUMNS.map((column) => (
        <MenuChoice
          key={column}
          kind="checkbox"
          chosen={columns.includes(column)}
          onChoose={() => {
            toggle(column);
          }}
        >
          {t(`jobs.column.${column}`)}
        </MenuChoice>
      ))}
    </MenuButton>
  );
}
