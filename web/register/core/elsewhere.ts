/** Another register was faster with an open sale: not an error of this one. The message is the calm line for its cashier. */
export class Elsewhere extends Error {
  /** Whether this register has nothing more to do with the sale. Otherwise it shows the sale as it is now. */
  readonly isOver: boolean;

  constructor(line: string, isOver: boolean) {
    super(line);
    this.isOver = isOver;
  }
}
