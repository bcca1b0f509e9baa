/** Which job of which flow a job is. */
export interface FlowPlace {
  readonly id: string;
  readonly ref: string;
}
