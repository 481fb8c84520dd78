// Where a server says what it does. Pino fits, and so does anything with the same three functions.

export interface Log {
  info(entry: object, message: string): void;
  warn(entry: object, message: string): void;
  error(entry: object, message: string): void;
}
