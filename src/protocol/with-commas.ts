/**
 * A whole number with commas between its thousands: 1,234,567. The first `toLocaleString` loads the data of all
 * locales, which takes longer than a delivery.
 */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
