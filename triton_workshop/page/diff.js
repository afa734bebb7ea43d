// Where two scripts differ, line by line. `Diff.element(mine, theirs)` shows my lines and theirs in their order, says
// above them what theirs are for, in the words of the solution's comments, and folds those that are alike. Comments,
// empty lines and spaces within a line make no difference.
globalThis.Diff = (() => {
  "use strict";
  const { make } = globalThis.page;
  const codeOf = (line) => {
    const [, indent, code] = /^(\s*)([^#]*)/.exec(line);
    return indent + code.replace(/ +(?=\W|$)|(?<=\W) +/g, "");
  };

  // The lines that have code, each with the comment above it, which is for all until the next empty line.
  function linesOf(text) {
    let purpose = "";
    return text.split("\n").flatMap((line) => {
      const code = codeOf(line), comment = /^\s*# (.*)/.exec(line)?.[1];
      if (comment || !line.trim()) purpose = comment ?? "";
      return code.trim() ? [{ line, code, purpose }] : [];
    });
  }

  // [kind, line], where a kind is "same", "mine" or "theirs": the longest common subsequence is the same.
  function compare(mine, theirs) {
    const keys = [mine, theirs].map((lines) => lines.map(({ code }) => code));
    const lengths = Array.from({ length: mine.length + 1 }, () => Array(theirs.length + 1).fill(0));
    for (let i = mine.length - 1; i >= 0; i--) {
      for (let j = theirs.length - 1; j >= 0; j--) {
        const isSame = keys[0][i] === keys[1][j];
        lengths[i][j] = isSame ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
      }
    }
    const result = [];
    for (let i = 0, j = 0; i < mine.length || j < theirs.length;) {
      if (i < mine.length && j < theirs.length && keys[0][i] === keys[1][j]) {
        result.push(["same", theirs[j]]);
        [i, j] = [i + 1, j + 1];
      } else if (j === theirs.length || (i < mine.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
        result.push(["mine", mine[i++]]);
      } else result.push(["theirs", theirs[j++]]);
    }
    return result;
  }

  const TAGS = { same: "span", mine: "del", theirs: "ins" }, SIGNS = { same: "  ", mine: "− ", theirs: "+ " };
  const row = ([kind, { line }]) => make(TAGS[kind], `${SIGNS[kind]}${line}\n`);

  function group(rows) {
    if (rows[0][0] !== "same") {
      const purposes = new Set(rows.map(([kind, { purpose }]) => (kind === "theirs" ? purpose : "")));
      purposes.delete("");
      return make("div", [make("p", [...purposes].join("; "), { className: "purpose" }), make("pre", rows.map(row))]);
    }
    const summary = make("summary", rows.length === 1 ? "1 line is alike" : `${rows.length} lines are alike`);
    return make("details", [summary, make("pre", rows.map(row))]);
  }

  function element(mine, theirs) {
    const rows = compare(linesOf(mine), linesOf(theirs)), groups = [];
    for (const each of rows) {
      const last = groups.at(-1), isAlike = last && (last[0][0] === "same") === (each[0] === "same");
      if (isAlike) last.push(each);
      else groups.push([each]);
    }
    const isSame = rows.every(([kind]) => kind === "same");
    const note = isSame ? "Line by line, your code is the solution's." : "− is a line of yours, + one of the solution.";
    const shown = isSame ? [] : groups.map(group);
    return make("div", [make("p", note, { className: "t-muted" }), ...shown], { className: "diff" });
  }

  return { element };
})();
