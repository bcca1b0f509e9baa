/** Deeper ones are not looked at. */
const MAX_LINES = 100;
/** Of one line. */
const MAX_LINE_LENGTH = 500;

/** `at send (file:///app/mail.js:10:5)`, `at async Mailer.send (…)`, `at /app/mail.js:10:5` */
const V8_FRAME = /^\s+at (?:async )?(?:(.*) \()?([^()]*?)(?::\d+)?(?::\d+)?\)?$/;
/** `File "/app/mail.py", line 10, in send` */
const PYTHON_FRAME = /^\s*File "([^"]*)", line \d+, in (.*)$/;
const LIBRARIES =
  /[\\/](?:node_modules|site-packages|dist-packages)[\\/]|^node:|^internal[\\/]|[\\/]lib[\\/]python|^<anonymous>$|^native$|^index \d+$/;

/**
 * The function and file in which an error came about, without line numbers, which move with every release, and
 * without the directory, which differs between machines. Lines of installed packages and of the runtime do not
 * count. Understands stacks of V8 and of Python.
 *
 * @returns `null` when no line is the program's own
 */
export function ownFrame(stack: string): string | null {
  const lines = stack.split("\n", MAX_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH));
  const frames = lines.map(v8Frame).filter((frame) => frame !== null);
  // Python tells the innermost call last.
  return frames[0] ?? lines.map(pythonFrame).findLast((frame) => frame !== null) ?? null;
}

function v8Frame(line: string): string | null {
  const match = V8_FRAME.exec(line);
  return match === null ? null : frameOf(match[1] ?? "", match[2] ?? "");
}

function pythonFrame(line: string): string | null {
  const match = PYTHON_FRAME.exec(line);
  return match === null ? null : frameOf(match[2] ?? "", match[1] ?? "");
}

function frameOf(name: string, path: string): string | null {
  if (path === "" || LIBRARIES.test(path)) return null;
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return `${name} ${file}`;
}
