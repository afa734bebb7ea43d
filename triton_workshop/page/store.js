// What this browser remembers of its reader: settings, and of each exercise a record, in localStorage, which the worker
// that runs a script cannot read.
//
// A record has an exercise's `text` with its `revision`, how far it is (`standing`), the hints that were asked for, and
// older texts (`backups`). Several tabs share the records; a `Draft` is what one of them knows of a text, so that it
// notices when another tab has saved one. Scratch pads and the blocks that somebody edits have records, too. `Store`
// offers `key`, `read`, `update`, `remove`, `setting`, `set`, `data`, `setData`, `subscribe`, `isPersistent`, `Draft`.
globalThis.Store = (() => {
  "use strict";
  const MAX_BACKUPS = 5;
  const fallback = {};  // the records of a page without storage
  const listeners = [];
  let isPersistent = true;

  // The sites of one host share its storage: each keeps its own, by its folder. Files have no such thing.
  const folder = location.protocol === "file:" ? "" : location.pathname.replace(/\/[^/]*$/, "");
  const name = (rest) => `triton-workshop${folder}-${rest}`, key = (number) => name(`exercise-${number}`);
  const older = (rest) => localStorage.getItem(`triton-workshop-${rest}`);  // from when all sites shared them

  function read(number) {
    try {
      return JSON.parse(localStorage.getItem(key(number)) ?? older(`exercise-${number}`)) ?? {};
    } catch {  // private windows may have no storage, and others may have written there
      isPersistent = false;
      return fallback[number] ?? {};
    }
  }

  function update(number, changes) {
    fallback[number] = { ...read(number), ...changes };
    try {
      localStorage.setItem(key(number), JSON.stringify(fallback[number]));
    } catch { isPersistent = false; }
    for (const listener of listeners) listener(number, changes);
  }

  function remove(number) {
    delete fallback[number];
    try {
      localStorage.removeItem(key(number));
    } catch { isPersistent = false; }
  }

  // A setting of this browser's reader, for all exercises, or what an older edition has kept by another name.
  function setting(of, olderName = `setting-${of}`) {
    try {
      return localStorage.getItem(name(`setting-${of}`)) ?? older(olderName) ?? fallback[of];
    } catch { return fallback[of]; }
  }

  function set(of, value) {
    fallback[of] = value;
    try {
      localStorage.setItem(name(`setting-${of}`), value);
    } catch { isPersistent = false; }
  }

  // A setting that is more than a word, as data; undefined if there is none.
  function data(of, olderName) {
    try {
      return JSON.parse(setting(of, olderName) ?? "null") ?? undefined;
    } catch { return undefined; }  // others may have written there
  }

  const setData = (of, value) => set(of, JSON.stringify(value));

  class Draft {
    constructor({ number, shipped }) {
      const { text, revision } = read(number);
      Object.assign(this, { number, shipped, text: text ?? shipped, revision: revision ?? 0 });
    }

    // Another tab's text, if it has saved one that is not this one since the last `save` or `sync`.
    findConflict(text) {
      const record = read(this.number);
      if ((record.revision ?? 0) === this.revision || record.text === text) return undefined;
      return record.text ?? this.shipped;
    }

    // Takes notice that another tab has written the record; returns its text if that is another one.
    sync(text) {
      const record = read(this.number);
      if (record.text !== undefined && record.text !== text) return record.text;
      this.revision = record.revision ?? 0;
      return undefined;
    }

    save(text, changes = {}) {
      const { revision = 0, standing } = read(this.number);
      [this.text, this.revision] = [text, revision + 1];
      const outdated = standing === "passed" ? { standing: "changed" } : {};
      update(this.number, { text, revision: this.revision, ...outdated, ...changes });
    }

    // Saves a text in the place of another one, which becomes the newest backup.
    replace(text, replaced) {
      const older = this.backups.filter((backup) => backup !== replaced);
      this.save(text, { backups: [replaced, ...older].slice(0, MAX_BACKUPS) });
    }

    get backups() {
      return read(this.number).backups ?? [];
    }
  }

  return {
    key, read, update, remove, setting, set, data, setData, Draft,
    subscribe: (listener) => listeners.push(listener),  // called with the number and the changes of each update
    get isPersistent() { return isPersistent; },
  };
})();
