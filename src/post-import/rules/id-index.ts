/**
 * The positions of unique ids in a list: a few tens of bytes each, for a million ids. It keeps a 64-bit hash of each
 * id: a collision within a job is about as rare as a memory failure.
 */
export class IdIndex {
  #count = 0;
  #high = new Uint32Array(1024);
  #low = new Uint32Array(1024);
  /** Positions plus 1, at the id's hash slot or the next free one; at most half full. */
  #slots = new Uint32Array(2048);

  get count(): number {
    return this.#count;
  }

  /** Adds an id at the end. Returns the position of the same id if it is already in the list, else -1. */
  add(id: string): number {
    const [high, low] = hash(id);
    const slot = this.#slotOf(high, low);
    const known = this.#slots[slot] ?? 0;
    if (known > 0) return known - 1;
    this.#high[this.#count] = high;
    this.#low[this.#count] = low;
    this.#slots[slot] = ++this.#count;
    if (this.#count === this.#high.length) this.#grow();
    return -1;
  }

  /** The position of an id, or -1. */
  find(id: string): number {
    return (this.#slots[this.#slotOf(...hash(id))] ?? 0) - 1;
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const position = (this.#slots[slot] ?? 0) - 1;
      if (position < 0 || (this.#high[position] === high && this.#low[position] === low)) return slot;
    }
  }

  #grow(): void {
    this.#high = doubled(this.#high);
    this.#low = doubled(this.#low);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let position = 0; position < this.#count; position++) {
      this.#slots[this.#slotOf(this.#high[position] ?? 0, this.#low[position] ?? 0)] = position + 1;
    }
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(array.length * 2);
  longer.set(array);
  return longer;
}

/** Two independent 32-bit hashes of a text (cyrb53's mixing). */
function hash(text: string): [high: number, low: number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high >>> 0, low >>> 0];
}
