/** A dialog of the browser's own: it keeps the focus, closes by Esc, and gives the focus back. */

import { useEffect, useId, useRef, type JSX, type ReactNode } from "react";

/** What it shows. It is open as long as it is rendered. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The dialog. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  // The browser tells that it closed in a later task. A key pressed until then would find the
  // dialog still rendered, open nothing, or be closed together with it.
  const end = (): void => {
    dialog.current?.close();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        end();
      }}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {children}
      {/* Last, so that the focus begins at the first field. */}
      <button type="button" onClick={end} className="quiet dialog-close">
        Close
      </button>
    </dialog>
  );
}
