/** Where an id stands in a list, for a million ids in a few tens of bytes each. */
export interface IdIndex {
  /** Puts an id at the end; the position of the same id if it is there already, else -1. */
  add(id: string): number;
  /** The position of an id, or -1. */
  find(id: string): number;
  readonly count: number;
}

/**
 * An index of unique ids. It keeps 64 bits of each id, not the id: that two ids of a job share them is about as
 * likely as a fault of the memory they are kept in.
 */
export function createIdIndex(): IdIndex {
  let high = new Uint32Array(1024);
  let low = new Uint32Array(1024);
  /** Positions plus 1, at the place that their id hashes to, or after it; a quarter to a half of it is in use. */
  let places = new Uint32Array(2048);
  let count = 0;

  const placeOf = (upper: number, lower: number): number => {
    const mask = places.length - 1;
    let place = lower & mask;
    for (;;) {
      const position = places[place] ?? 0;
      if (position === 0) return place;
      if (high[position - 1] === upper && low[position - 1] === lower) return place;
      place = (place + 1) & mask;
    }
  };

  const grow = () => {
    high = longer(high);
    low = longer(low);
    places = new Uint32Array(places.length * 2);
    for (let position = 0; position < count; position++) {
      places[placeOf(high[position] ?? 0, low[position] ?? 0)] = position + 1;
    }
  };

  return {
    add(id) {
      const [upper, lower] = hash(id);
      const place = placeOf(upper, lower);
      const taken = places[place] ?? 0;
      if (taken > 0) return taken - 1;
      high[count] = upper;
      low[count] = lower;
      count++;
      places[place] = count;
      if (count === high.length) grow();
      return -1;
    },
    find(id) {
      return (places[placeOf(...hash(id))] ?? 0) - 1;
    },
    get count() {
      return count;
    },
  };
}

function longer(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(array.length * 2);
  next.set(array);
  return next;
}

/** Two independent 32-bit hashes of a text (cyrb53's mixing). */
function hash(text: string): [upper: number, lower: number] {
  let upper = 0xdeadbeef;
  let lower = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    upper = Math.imul(upper ^ code, 2654435761);
    lower = Math.imul(lower ^ code, 1597334677);
  }
  upper = Math.imul(upper ^ (upper >>> 16), 2246822507) ^ Math.imul(lower ^ (lower >>> 13), 3266489909);
  lower = Math.imul(lower ^ (lower >>> 16), 2246822507) ^ Math.imul(upper ^ (upper >>> 13), 3266489909);
  return [upper >>> 0, lower >>> 0];
}
