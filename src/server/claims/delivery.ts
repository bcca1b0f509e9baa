import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onSocketClose, tookAnswer } from "../socket-end.js";

/**
 * Follows whether an answer reaches its client. Whatever the answer carries is given back when the
 * connection ends before the answer was handed over to the network as a whole.
 */
export class Delivery<Cargo> {
  readonly #gone = new AbortController();
  #cargo: Cargo | null = null;

  constructor(
    socket: Socket,
    response: ServerResponse,
    private readonly giveBack: (cargo: Cargo) => void,
  ) {
    const lost = (): void => {
      this.#gone.abort();
      this.#returnCargo();
    };
    // The socket's event and not the response's: of a pipelined request the response may not have a socket yet.
    const unfollow = onSocketClose(socket, lost);
    response.once("finish", () => {
      if (tookAnswer(socket)) unfollow();
    });
    if (socket.destroyed) lost();
  }

  /** Fires when the client hangs up before it has its answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** From now on the answer carries this; it is given back at once when the client is gone already. */
  carry(cargo: Cargo): void {
    this.#cargo = cargo;
    if (this.gone.aborted) this.#returnCargo();
  }

  /** Waits for what may speak against the answer; when it does, what the answer carries is given back. */
  async unless(refusal: Promise<void>): Promise<void> {
    try {
      await refusal;
    } catch (error) {
      this.#returnCargo();
      throw error;
    }
  }

  #returnCargo(): void {
    const cargo = this.#cargo;
    this.#cargo = null;
    if (cargo !== null) this.giveBack(cargo);
  }
}
