import type { ErrorCode, FaultCode } from "../../../src/core/errors.js";
import { JOB_STATES } from "../../../src/core/states.js";
import type { Language } from "./message.js";

/** A fault of a request, as the server tells it. */
interface Fault {
  readonly code: string;
  readonly detail: string;
}

/** English is what the server writes; of other languages it only knows the codes. */
const RUSSIAN: Partial<Record<FaultCode | ErrorCode, string>> = {
  required: "заполните это поле",
  wrong_type: "значение другого вида",
  out_of_range: "вне допустимых пределов",
  conflict: "не сочетается с другим полем",
  duplicate: "повторяется",
  unknown_field: "такого поля здесь нет",
  unknown_value: "такого значения здесь не бывает",
  invalid_name:
    "нужны латинские буквы, цифры, «.», «_», «:» или «-», не больше 128 знаков; в начале буква или цифра",
  invalid_id: "номер — целое число больше 0",
  invalid_key: "нужно от 1 до 255 печатных знаков",
  invalid_tag: "в метке от 1 до 64 печатных знаков",
  invalid_instant: "нужны дата и время, например 2026-01-05T09:00:00Z",
  invalid_cron: "это не выражение cron: {detail}",
  unknown_timezone: "такого часового пояса нет",

  payload_invalid: "данные не подходят для задач с этим именем: {detail}",
  payload_too_large: "Данные задачи слишком велики.",
  payload_too_deep: "В данных задачи слишком много вложенных уровней.",
  payload_not_json: "Эти данные не записать как JSON.",
  number_precision: "Одно из чисел изменилось бы при чтении: запишите его в кавычках.",
  body_too_large: "Запрос слишком велик.",
  idempotency_key_reused: "Этот ключ идемпотентности принадлежит другой задаче.",
  unique_conflict: "Уникальный ключ занят другой задачей.",
  queue_full: "Очередь заполнена.",
  invalid_state: "Состояние задачи этого не позволяет.",
  queue_not_allowed: "Токен действует не для всех очередей, о которых здесь речь.",
  schedule_not_found: "Такого расписания нет.",
  not_found: "Здесь ничего нет.",
  store_busy: "База данных занята другим процессом. Повторите позже.",
  store_full: "На диске сервера нет места.",
  store_read_only: "В базу данных нельзя писать.",
  internal: "На сервере произошла ошибка. Подробности в его журнале.",

  missing_term: "«-» ставят вплотную перед тем, что исключают",
  missing_qualifier: "перед этим знаком не хватает слова, например state или queue",
  unknown_qualifier: "такого слова в фильтре нет; текст для поиска заключите в кавычки",
  missing_value: "здесь не хватает значения",
  missing_space: "здесь не хватает пробела",
  bad_operator: "этот знак здесь не подходит",
  boolean_operator:
    "AND, OR, NOT и скобок в фильтре нет: условия и так действуют вместе, значения перечисляют через запятую, исключают знаком «-»; в кавычках это текст для поиска",
  bad_path: "путь продолжают .ключом или [номером]",
  bad_value: "такое значение здесь не подходит",
  open_quote: "кавычка не закрыта",
  misplaced_quote: "кавычка стоит посередине; заключите в кавычки всё значение",
  too_long: "фильтр слишком длинный",
  too_many_terms: "в фильтре слишком много условий",
  too_many_values: "слишком много значений; запятую внутри значения заключите в кавычки",
};

const WHOLE_NUMBER = "нужно целое число";
const MOMENT = "нужны дата и время или срок: 15m, 2h, 7d, +30m";
const NAMES = "здесь латинские буквы, цифры, «.», «_», «:» или «-»; «*» — любой текст";

/** What may stand behind the words of the filter. */
const RUSSIAN_VALUES: Readonly<Record<string, string>> = {
  state: `нет такого состояния; есть ${JOB_STATES.join(", ")}`,
  queue: NAMES,
  name: NAMES,
  id: "номер — целое число больше 0",
  attempt: WHOLE_NUMBER,
  priority: WHOLE_NUMBER,
  created: MOMENT,
  run: MOMENT,
  started: MOMENT,
  finished: MOMENT,
};

/** What is wrong, in the reader's language where the code says enough; otherwise as the server writes it. */
export function faultText(language: Language, { code, detail }: Fault): string {
  const known = language === "ru" ? RUSSIAN[code as FaultCode] : undefined;
  return known === undefined ? detail : withFigures(known, detail).replace("{detail}", () => detail);
}

/** The same for a filter, where the word before the fault says what was wanted. */
export function filterFaultText(language: Language, fault: Fault, before: string): string {
  const word = /([a-z]+)[^\sa-z]\S*$/.exec(before)?.[1] ?? "";
  const wanted = fault.code === "bad_value" ? RUSSIAN_VALUES[word] : undefined;
  return language === "ru" && wanted !== undefined
    ? withFigures(wanted, fault.detail)
    : faultText(language, fault);
}

/** Bounds, and what may have been meant, stand in the server's text alone. */
function withFigures(text: string, detail: string): string {
  const meant = /did you mean "([^"]+)"/.exec(detail)?.[1];
  if (meant !== undefined) return `${text.split(";", 1)[0] ?? ""}; возможно, «${meant}»?`;
  const [, from, to] = /\bfrom (-?\d+) to (\d+)$/.exec(detail) ?? [];
  return from === undefined || to === undefined ? text : `нужно целое число от ${from} до ${to}`;
}
