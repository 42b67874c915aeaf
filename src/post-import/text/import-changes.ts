import { fold, type Piece } from "../../output/columns.ts";
import type { Paint } from "../../output/paint.ts";
import { indent, plural } from "../../output/text.ts";
import type { Changes, StringChange } from "../import-result.ts";
import { fieldLines, nameText, type Sides, whatTheAppDid } from "./import-fields.ts";
import { isStatus, statusLines } from "./import-statuses.ts";
import { isText, textLines } from "./import-texts.ts";

/** Changed strings that are shown of a job unless all are asked for. */
const SHOWN = 10;

/** The strings that differ, each with what differs. */
export function changeLines(changes: Changes, sides: Sides, paint: Paint, details: boolean): string[] {
  const { strings } = changes;
  const shown = details ? strings : strings.slice(0, SHOWN);
  return [
    ...shown.flatMap((string) => stringLines(string, sides, paint, details)),
    ...restLines(changes, shown.length, paint),
  ];
}

function restLines({ changed, added, removed, strings }: Changes, shown: number, paint: Paint): string[] {
  const rest = changed + added + removed - shown;
  if (rest <= 0) return [];
  const isAllListed = changed + added + removed <= strings.length;
  const how = isAllListed
    ? "--details shows all"
    : `${shown < strings.length ? `--details shows the first ${strings.length.toLocaleString("en-US")}, ` : ""}--save FILE keeps all`;
  return fold([{ text: `… and ${plural(rest, "more string")}; ${how}` }], paint.width, 2);
}

function stringLines(string: StringChange, sides: Sides, paint: Paint, details: boolean): string[] {
  const within = { ...paint, width: paint.width - 2 };
  const { change, fields } = string;
  const others = fields.filter((field) => !isText(field) && !isStatus(field) && !isInTitle(string, field.field, sides));
  return [
    ...fold([...titlePieces(string, sides, paint)], paint.width, 2),
    ...(change === "removed"
      ? []
      : indent(
          [
            ...others.flatMap((field) => fieldLines(field, sides, within)),
            ...textLines(fields.filter(isText), sides, within, details),
            ...statusLines(fields.filter(isStatus), sides, within),
          ],
          2,
        )),
  ];
}

function titlePieces({ identifier, uniqId, change, fields }: StringChange, sides: Sides, paint: Paint): Piece[] {
  const tones = { changed: undefined, added: paint.good, removed: paint.caution };
  const name = identifier === "" ? `the string with uniqId ${nameText(uniqId)}` : nameText(identifier);
  const hidden = sides === whatTheAppDid ? fields.find(({ field }) => field === "isHidden") : undefined;
  const mark = hidden === undefined ? "" : hidden.after === true ? ", hidden now" : ", no longer hidden";
  return [
    { text: `${sides[change]} `, paint: tones[change] },
    { text: name, paint: paint.strong },
    { text: mark, paint: paint.caution },
  ];
}

/** That a string was hidden is said beside its name. */
function isInTitle({ change }: StringChange, field: string, sides: Sides): boolean {
  return sides === whatTheAppDid && (field === "isHidden" || (change === "added" && field === "identifier"));
}
