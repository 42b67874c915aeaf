import { alikeIds } from "./binding.ts";
import { borrowCheck } from "./codes.ts";

/** The check that a code is stored for the whole id of its user. */
export const alikeUserCodeCheck = borrowCheck(
  {
    id: "guard.final.code.alike-user",
    title: "The guard refuses the code of a user whose id only resembles that of the user who logs in",
    why: "Ids that are cut to fewer bits, or compared only in part, are the same for several users. One who passes the page opens the door for the others.",
    fix: "Store the user's id with each code as an integer of 64 bits, and compare it as a whole.",
  },
  "no user passes the page",
  ({ request, walker }) => {
    const ids = alikeIds.map(([, change]) => Number(change(String(walker.user.id))));
    const others = ids.filter((id) => id > 0 && id !== walker.user.id);
    return Promise.all(others.map((id) => request({ ...walker, user: { ...walker.user, id } }, "")));
  },
);
