import { z } from "zod";

/** The body of a verification request (interface 2.2). */
export interface GuardRequest {
  readonly userId: number;
  readonly organizationId: number;
  readonly ipAddress: string;
  readonly moduleKey: string;
  /** Only on the final call of `redirect` and `frame`. */
  readonly code?: string;
}

/** The body of a verification answer (interface 2.2). Further keys are ignored. */
export const guardAnswerSchema = z.looseObject({
  success: z.boolean(),
  message: z.string().nullish(),
});

/** The shape of the app's answer, for messages. */
export const GUARD_ANSWER_SHAPE = '{"success": true|false, "message"?: text}';
