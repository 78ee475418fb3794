/** Keeps a fault of one screen from taking the whole page away: it is told, with the ways on. */

import { Component, type ReactNode } from "react";
import { addressOf } from "./route.ts";
import { Told } from "./told.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
}

interface BoundaryState {
  /** Null while nothing went wrong. */
  readonly why: string | null;
}

/** The screen, or what went wrong in it. Another `key` tries anew. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { why: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { why: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { why } = this.state;
    if (why === null) return this.props.children;
    return (
      <>
        <h1 tabIndex={-1}>This screen cannot be shown</h1>
        <p role="alert" className="notice">
          It met something that it does not know: <Told text={why} />. The server may be of another version
          than this page; nothing was changed by it.
        </p>
        <p>
          <a href={location.href}>Load the page anew</a> · <a href={addressOf("")}>Needs attention</a>
        </p>
      </>
    );
  }
}
