/** Words that people try, and the commands that may be meant. The first of them only reads. */
const meant: Readonly<Record<string, readonly string[]>> = {
  ...{ upgrade: ['check', 'crd upgrade', 'roll'], update: ['check', 'crd upgrade', 'roll'] },
  ...{
    rollback: ['check', 'crd upgrade --back', 'roll'],
    downgrade: ['check', 'roll'],
    preflight: ['check'],
  },
  ...{ get: ['status'], list: ['status'], ls: ['status'], show: ['status'], describe: ['status'] },
  ...{ count: ['census'], stat: ['status'], prove: ['verify'] },
}

/** Commands that only read. Any other is suggested for its own misspelling alone. */
const reading: ReadonlySet<string> = new Set([
  ...['status', 'check', 'verify', 'census', 'inspect', 'plan', 'rbac', 'completion', 'help'],
])

/**
 * The commands that were probably meant, if `typed` is none. A harmless word never leads to a command that writes alone:
 * `upgrade` is three letters away from `migrate`. So a writing command is suggested after one that reads, or if one keystroke
 * is wrong.
 */
export function decideSuggestion(typed: string, names: readonly string[]): readonly string[] {
  const word = typed.toLowerCase()
  const known = (meant[word] ?? []).filter((each) => names.includes(each.split(' ')[0] ?? ''))
  if (known.length > 0) return known
  const near = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ name, distance }) => distance <= (reading.has(name) && name.length > 4 ? 2 : 1))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return near.slice(0, 1).map(({ name }) => name)
}

/** How many keystrokes are wrong: a letter too many, too few, another one, or two exchanged. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isExchanged ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}

/** The error for a first argument that is no command; undefined if it is one, or a flag. */
export function describeUnknownCommand(
  [first = '']: readonly string[],
  names: readonly string[],
): string | undefined {
  if (first === '' || first.startsWith('-') || names.includes(first) || first === 'help') return undefined
  const suggested = decideSuggestion(first, names).map((each) => JSON.stringify(each))
  const hint = suggested.length === 0 ? '' : ` (did you mean ${alternatives(suggested)}?)`
  return `unknown command ${JSON.stringify(first)}${hint}; --help lists the commands`
}

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
