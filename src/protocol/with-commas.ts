/**
 * A whole number with commas between its thousands: 1,234,567. `toLocaleString` looks up the numbers of all languages
 * first, which takes longer than a delivery.
 */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
