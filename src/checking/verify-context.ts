import type { VisitContext } from "../guard/visit/page-visitor.ts";
import type { OAuthLoginContext } from "../oauth-login/action.ts";
import type { ImportContext } from "../post-import/import-context.ts";
import type { WebhookContext } from "../webhook/changeable.ts";

/** What `verify` needs: the actions of each capability. */
export type VerifyContext = ImportContext & OAuthLoginContext & VisitContext & WebhookContext;
