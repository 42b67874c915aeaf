import { skipVerdict } from "../../../checking/verdict.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { hasTyped, sendsTyped, type Typed } from "./spoiled-password.ts";
import { passwordsTyped } from "./typed-password.ts";

/** The result of checks of the password that the page sends, if it sends none. */
export const NO_PASSWORD_SENT = skipVerdict("the page's own calls send no password that is configured");

/** The configured passwords that the page sends with its calls. */
export async function passwordsSent(tools: FrameTools): Promise<Typed[]> {
  if (Object.keys(tools.configured).length === 0) return [];
  const shown = await tools.open("shown");
  const right = await tools.prepare();
  const typed = passwordsTyped([shown], tools.configured).map(([name, value]) => ({ name, value }));
  return typed.filter((one) => sendsTyped(right, one) || tools.earlier.some((each) => hasTyped(each, one)));
}
