/** Opens an address in the user's browser. If there is none, nothing happens: the address is printed as well. */
export function openInBrowser(url: string): void {
  void import("open")
    .then(({ default: open }) => open(url))
    .then((opener) => opener.on("error", () => {}))
    .catch(() => {});
}
