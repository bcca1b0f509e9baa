import type { ReactNode } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTexts } from "../../i18n/text.js";
import { Icon } from "../../ui/icon.js";
import { COLUMNS, setListPreferences, useListPreferences } from "./columns.js";

/** Which columns the table has. */
export function ColumnMenu(): ReactNode {
  const { t } = useTexts();
  const { columns } = useListPreferences();
  return (
    <MenuTrigger>
      <Button className="button quiet">
        {t("jobs.columns")}
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="menu"
          aria-label={t("jobs.columns")}
          selectionMode="multiple"
          selectedKeys={columns}
          onSelectionChange={(keys) => {
            setListPreferences({
              columns: COLUMNS.filter((column) => keys === "all" || keys.has(column)),
            });
          }}
        >
          {COLUMNS.map((column) => (
            <MenuItem key={column} id={column} className="menu-item" textValue={t(`jobs.column.${column}`)}>
              <span className="menu-mark">{columns.includes(column) && <Icon name="check" />}</span>
              {t(`jobs.column.${column}`)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
