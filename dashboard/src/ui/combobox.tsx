import { useId, useRef, useState, type InputHTMLAttributes, type ReactNode, type RefObject } from "react";
import { visible } from "./visible.js";

export interface Option {
  readonly text: string;
  /** What it means, in a few words. */
  readonly detail?: string;
  /** Whether more is to be chosen behind it, so that the list stays open. */
  readonly leadsOn?: boolean;
}

/**
 * A text field with a list of what could be written: the combobox pattern of ARIA. The focus stays in the field, the
 * arrows go through the list, Enter takes what is marked, Escape closes the list. Anything else may be written too.
 */
export function Combobox<Choice extends Option>({
  field,
  label,
  options,
  onChoose,
  onKeyDown,
  ...input
}: {
  readonly field?: RefObject<HTMLInputElement | null>;
  /** Names the list. */
  readonly label: string;
  readonly options: readonly Choice[];
  readonly onChoose: (option: Choice) => void;
} & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const { shown, at, setOpen, close, press, choose } = useChoice(list, options, onChoose);

  return (
    <div className="combobox">
      <input
        {...input}
        ref={field}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={listId}
        aria-activedescendant={shown && at >= 0 ? `${listId}-${String(at)}` : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          close();
          setOpen(true);
          input.onChange?.(event);
        }}
        onClick={() => {
          setOpen(true);
        }}
        onBlur={close}
        onKeyDown={(event) => {
          // In the middle of writing a Chinese word, Enter and the arrows belong to the writing.
          if (event.nativeEvent.isComposing) return;
          if (press(event.key)) {
            event.preventDefault();
            event.stopPropagation();
            return;
          }
          if (event.key === "Enter") close();
          onKeyDown?.(event);
        }}
      />
      <OptionList
        id={listId}
        list={list}
        label={label}
        options={options}
        shown={shown}
        marked={at}
        onChoose={choose}
      />
    </div>
  );
}

interface Choosing<Choice> {
  readonly shown: boolean;
  /** Which option is marked; -1: none. */
  readonly at: number;
  readonly setOpen: (open: boolean) => void;
  readonly close: () => void;
  readonly choose: (option: Choice) => void;
  /** Does what the key means for the list, and says whether it means anything there. */
  readonly press: (key: string) => boolean;
}

function useChoice<Choice extends Option>(
  list: RefObject<HTMLUListElement | null>,
  options: readonly Choice[],
  onChoose: (option: Choice) => void,
): Choosing<Choice> {
  const [open, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const shown = open && options.length > 0;
  const at = Math.min(marked, options.length - 1);

  const mark = (index: number): void => {
    setOpen(true);
    setMarked(index);
    list.current?.children[index]?.scrollIntoView({ block: "nearest" });
  };
  const choose = (option: Choice): void => {
    setMarked(-1);
    setOpen(option.leadsOn === true);
    onChoose(option);
  };
  const close = (): void => {
    setOpen(false);
    setMarked(-1);
  };
  const press = (key: string): boolean => {
    const { length } = options;
    if (key === "ArrowDown" && length > 0) mark((at + 1) % length);
    else if (key === "ArrowUp" && shown) mark((Math.max(at, 0) - 1 + length) % length);
    else if (key === "Escape" && shown) close();
    else if (key === "Enter" && shown && options[at] !== undefined) choose(options[at]);
    else return false;
    return true;
  };
  return { shown, at, setOpen, close, choose, press };
}

/** Stays in the document while it is hidden, because the field names it. */
function OptionList<Choice extends Option>({
  id,
  list,
  label,
  options,
  shown,
  marked,
  onChoose,
}: {
  readonly id: string;
  readonly list: RefObject<HTMLUListElement | null>;
  readonly label: string;
  readonly options: readonly Choice[];
  readonly shown: boolean;
  readonly marked: number;
  readonly onChoose: (option: Choice) => void;
}): ReactNode {
  return (
    <ul
      id={id}
      ref={list}
      role="listbox"
      aria-label={label}
      className="popover suggestions"
      hidden={!shown}
      // The field keeps the focus.
      onMouseDown={(event) => {
        event.preventDefault();
      }}
    >
      {options.map((option, index) => (
        <li
          key={option.text}
          id={`${id}-${String(index)}`}
          role="option"
          aria-selected={index === marked}
          className="menu-item"
          onClick={() => {
            onChoose(option);
          }}
        >
          <span className="job-text" translate="no">
            {visible(option.text)}
          </span>
          {option.detail !== undefined && <span className="muted">{option.detail}</span>}
        </li>
      ))}
    </ul>
  );
}
