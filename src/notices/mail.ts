/** Mail, by SMTP. */

import { createTransport } from "nodemailer";
import { plainText, type Outgoing, type Wording } from "./message.ts";
import { within } from "./within.ts";

/** How long a server may take to be reached, to greet, and to say anything, in ms. */
const CONNECT_MS_MAX = 10_000;
const SILENT_MS_MAX = 15_000;

/** Sends one mail. Throws what the server or the connection throws. */
export async function sendMail(
  { from, smtp, to }: { readonly from: string; readonly smtp: string; readonly to: string },
  { messageId, noticeId, content }: Outgoing,
  wording: Wording,
  signal: AbortSignal,
): Promise<void> {
  const transport = createTransport({
    url: smtp,
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENT_MS_MAX,
    // A message is made of texts alone; whatever stands in one, no file and no address is opened for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = (): void => transport.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    // A transport that is closed in the middle of a dialog may never say so.
    await within(
      signal,
      transport.sendMail({
        from,
        to,
        subject: content.title,
        text: plainText(content, wording),
        messageId: `<${messageId}@foothold>`,
        // Mails about one notice stand together.
        references: `<${noticeId}@foothold>`,
        headers: { "Auto-Submitted": "auto-generated", "X-Foothold-Notice": noticeId },
      }),
    );
  } finally {
    signal.removeEventListener("abort", close);
    transport.close();
  }
}
