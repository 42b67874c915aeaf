/** @param {readonly number[]} values */
export function median(values) {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
