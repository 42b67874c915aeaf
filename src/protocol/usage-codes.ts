/**
 * What each code of a `UsageError` means, as docs/errors.md lists it. Codes are stable because programs depend on them:
 * add new ones, never rename. No command loads this file: only its types are used.
 */
export const usageCodes = {
  // The command line and the process
  usage: "The command line cannot be parsed: an unknown command or option, or a missing or superfluous argument.",
  "format-invalid": "`--format` names a format that this command does not have.",
  "no-directory": "The working directory was deleted.",
  "too-many-files": "The process has reached its limit of open files (exit code 71).",
  "out-of-memory": "The system gives the process no more memory (exit code 71).",
  "no-code-generation":
    "Node was started with `--disallow-code-generation-from-strings`, without which the platform cannot run.",

  // Configuration and choices
  "config-unreadable": "The config file does not exist, or cannot be read or run.",
  "config-untrusted": "The config file that was found belongs to another user.",
  "config-invalid":
    "The config file, or the configuration that results from file, environment and flags, is not valid.",
  "playwright-missing": "`--browser` needs Playwright, and neither the project nor app-sim has it.",
  "several-apps": "A flag or variable is for one app, but several are installed.",
  "unknown-variable": "The environment has a variable `APP_SIM_…` that app-sim does not read.",
  "unknown-profile": "There is no shipped profile of this name.",
  "profile-invalid": "The file of a profile is not a valid profile.",
  "unknown-choice": "There is no choice with this id.",
  "choice-invalid": "The choice does not allow this value.",
  "choose-syntax": "`--choose` is not of the form `id=value`.",
  "manifest-invalid": "The app's manifest is not valid.",

  // Showing the journal
  "log-flags": "Flags of `app-sim log` that make no sense together, or without an id.",
  "body-missing": "The record has no such body.",
  "report-exists": "A report would overwrite a file that is something else.",
  "report-unwritable": "A report cannot be written to its file.",

  // Files
  "file-unreadable": "A file cannot be read.",
  "file-outside": "A fixture, scenario or config file names a file outside of its folder and of the working directory.",
  "walk-too-long": "A pattern or directory holds more files and folders than app-sim looks through.",
  "file-changed": "A file changed while it was being read.",
  "file-too-large": "A file is too large for app-sim to read.",
  "file-unwritable": "A result cannot be written to this file.",
  "not-json": "A file, a line of it, or `--data` is not valid JSON in UTF-8.",
  "no-temporary-file": "The directory for temporary files cannot hold the strings of a job.",

  // Ports and the running platform
  "port-taken": "Another program listens on the port.",
  "app-listens": "`app-sim dev` cannot start the app, because something listens at its address already.",
  "port-forbidden": "This user may not listen on the port.",
  "certificate-invalid":
    "The files of `--cert` and `--key` cannot be used: missing, not PEM, encrypted, not a pair, or not valid now.",
  "port-unknown": "The port is 0, a free one, so the platform's address is not known before it starts.",
  "not-running": "No `app-sim serve` runs on this port with this journal.",
  "platform-unreachable": "The running platform does not answer (exit code 3).",
  "platform-ended": "The running platform ended before the command was over (exit code 3).",
  "platform-differs": "The command asks for settings that the running platform does not have.",
  "platform-version": "The running platform is of another version of app-sim.",
  "control-invalid": "The running platform refused a request to its control addresses.",
  "clock-invalid": "`app-sim clock` was given an unknown action, or a missing or superfluous value.",
  "fault-invalid": "A fault is not of the form `place=kind`, or the place does not have this kind.",
  "time-invalid": "A time is not an ISO 8601 time, a `Date`, or milliseconds since 1970.",
  "time-out-of-range": "The platform's time would leave the years 1970 to 9999.",
  "duration-invalid": "A duration is not of the form `1h30m`.",
  "duration-long": "A duration in a scenario is longer than an hour.",
  "prefix-invalid": "The prefix of the variables (`--prefix`, or `sim.env()`) cannot begin the name of a variable.",
  "dotenv-impossible": "A value holds characters that a dotenv file cannot express.",
  "command-not-found": "`app-sim exec` found no such command (exit code 127).",
  "command-not-executable": "`app-sim exec` may not execute the command (exit code 126).",
  "unknown-fault": "The sample app has no fault with this id (`app-sim demo --broken`).",
  "app-elsewhere": "`app-sim demo --keep` or `--broken` was given an address at which the sample app cannot listen.",

  // Logins
  "unknown-user": "No configured user has this role or login name.",
  "unknown-module": "The manifest has no module with this key.",
  "page-ambiguous": "Options for playing a guard's page and for walking it were combined.",
  "expectation-invalid": "An expectation contradicts another one, or is malformed.",
  "consent-contrary": "The command and `oauth.consent` decide the login differently.",
  "start-missing": "Neither the command nor `verify.oauth.start` says where the login begins.",
  "start-elsewhere": "The login would start at an address that is not the app's.",
  "start-ambiguous": "Several apps are installed, so the path of the login is not enough.",
  "use-elsewhere": "The page that makes the app call the API is not at an address of the app.",
  "install-off": "Installation events are switched off (choice `install.event`).",

  // Imports
  "no-fixture": "No fixture was given, or none was found.",
  "fixture-invalid": "A fixture is neither a complete job nor a valid short form.",
  "fixtures-invalid": "Some fixtures of a batch are not valid, so nothing was sent.",
  "source-invalid": "`postImport()` was called with something that is not a fixture.",
  "unknown-project": "The fixture names a project that is not configured.",
  "unknown-language": "This is not the id of a known language.",
  "occasion-invalid": "The fixture cannot be imported on this occasion.",
  "strings-unreachable": "The fixture's `stringsUrl` cannot be fetched.",
  "expected-invalid": "The file with the expected answer is damaged.",
  "no-localization-file": "No localization file was found.",
  "file-invalid": "A localization file is not valid in its format.",
  "unknown-format": "The format of a localization file is not known.",
  "translations-unclear": "`--translations` is not of the form `language=file`, or several files were given with it.",
  "no-strings": "The localization files hold no strings.",
  "fixture-exists": "A fixture would overwrite a file.",
  "fixture-unwritable": "A fixture cannot be written.",

  // Webhooks
  "event-missing": "No event was named.",
  "event-unnamed": "`--set` would leave an event without a name.",
  "event-other": "A payload holds an event that was not named.",
  "event-too-large": "One event is larger than a body may be (choice `webhook.batch.bytes`).",
  "events-too-many": "`--count` asks for more events than one run makes.",
  "too-many-deliveries": "The events make more deliveries than one run makes.",
  "payload-invalid": "A payload is not an event, a list of events, or a body with `events`.",
  "payload-missing": "There are payloads, but none for one of the named events.",
  "number-inexact": "A payload holds a number that JavaScript cannot represent exactly.",
  "template-invalid": "A template in a payload is not of the form `{{name}}` or `{{name(arguments)}}`.",
  "unknown-template": "There is no template of this name.",
  "template-failed": "A template failed with these arguments.",
  "set-syntax": "`--set` is not of the form `path=value`.",
  "set-json": "`--set path:=…` is not followed by valid JSON.",
  "set-type": "`--set` would change the type of a value.",
  "set-unmatched": "`--set` names a path that no event has.",
  "delay-invalid": "The range of `--delay` ends before it begins.",
  "drop-with-tamper": "`--drop` and `--tamper` cannot be combined.",
  "name-unknown": "`app-sim choices` or `app-sim config` was given an unknown name.",
  "token-module-unknown":
    "`token` needs a guard or post-import module: no app declares the one named, or no manifest says which there are.",
  "language-unknown": "`--explain` has no verifier in this language.",
  "body-holds-secret": "The body to be explained holds a secret of the app.",

  // Load
  "rate-with-concurrency": "A load has either a rate or a concurrency.",
  "duration-with-count": "A load has either a duration or a count.",
  "load-target": "The app is at a public address, which gets no load unless you allow it.",
  "export-template": "A header would be read as a template by Artillery.",
  "export-secret": "The exported test would hold a secret.",
  "export-exists": "The folder of the export holds other files.",
  "export-unwritable": "The exported test cannot be written.",

  // Verifying
  "unknown-check": "There is no check of `verify` with this id.",
  "nothing-verified": "The journal has no verification that could be judged again.",
  "verify-target": "The app is at a public address, which gets no invalid requests unless you allow it.",
  "tamper-invalid": "`--tamper` of a login or an import was combined with a flag for a correct one.",
  "verify-flags": "Flags of `app-sim verify` that make no sense together.",
  "baseline-invalid": "The file of `--baseline` is not a list of known findings, or `--update-baseline` has no file.",

  // Scenarios
  "no-scenario": "No scenario was given, or none was found.",
  "scenario-invalid": "A file is not a valid scenario.",

  // The journal and replays
  "journal-version": "A newer app-sim wrote the journal.",
  "journal-unreadable": "The journal cannot be read.",
  "unknown-id": "The journal has no record with this id.",
  "ambiguous-id": "Several records begin with this id.",
  "unknown-delivery": "The journal has no such delivery.",
  "clear-with-id": "`--clear` removes every record, and takes no id and no filter.",
  "journal-unwritable": "The journal cannot be removed.",
  "curl-without-id": "`app-sim log --curl` needs the id of an exchange.",
  "curl-no-exchange": "The record holds no request.",
  "curl-no-address": "The recorded request has no address to which it could be sent.",
  "curl-cut-body": "The journal holds only the beginning of the body.",
  "replay-no-delivery": "The record is not a webhook delivery.",
  "replay-damaged": "The recorded headers cannot be sent; the journal was edited.",
  "replay-cut-body": "The journal holds only the beginning of the body.",
  "replay-not-gzip": "The recorded body should be compressed with gzip, but is not.",
  "replay-elsewhere": "The delivery went to an address that belongs to no configured app.",
  "no-editor": "`--edit` finds neither `$VISUAL` nor `$EDITOR`.",
  "editor-failed": "The editor could not be started, or failed.",
  "editor-ended": "A signal ended the editor.",
  "edit-unwritable": "The text to edit cannot be written to a temporary file.",

  // The library alone
  closed: "The simulator was used after `close()`.",
  "options-invalid": "The options of a method are not valid.",
  "input-invalid": "An argument of a method is not valid.",
  "seed-invalid": "The seed is not a whole number.",
  "control-token-invalid": "`controlToken` is too short, or holds characters that a header cannot carry.",
  "purpose-unknown": "`waitFor()` was given an unknown purpose.",
  "change-failed": "A function that was given to `once()` threw, or returned something unusable.",
} as const;

/** The code of a `UsageError`: stable, for programs. */
export type UsageCode = keyof typeof usageCodes;
