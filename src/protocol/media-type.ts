/** The type of a Content-Type header in lower case, without its parameters (RFC 9110, 8.3.1); "" if there is none. */
export function mediaType(contentType: string | undefined): string {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
