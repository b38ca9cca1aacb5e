/** A command of a page, as a user copies it: one line, or several that belong together. */
export interface DocumentCommand {
  readonly line: number
  readonly text: string
}

const languages = ['', 'console', 'sh', 'bash']
/** A block that begins otherwise shows a picture, an output or a file. */
const programs = /^(?:\$ )?(?:strata|npm|npx|kubectl|export|echo|cd|node)\b/

/** The commands that fill the second cell of a row: `| to do this | `strata …` |`. */
export const readTableCommands = (page: string): readonly DocumentCommand[] =>
  page.split('\n').flatMap((row, index) => {
    const [, text] = /^\|[^|]*\|\s*`(strata [^`]+)`\s*\|/.exec(row) ?? []
    return text === undefined ? [] : [{ line: index + 1, text }]
  })

/**
 * The commands in the fenced blocks of a Markdown page, in their order. In a block with `$` before a line, only such lines are
 * commands, and the others are what they print.
 */
export function readCommands(page: string): readonly DocumentCommand[] {
  const commands: DocumentCommand[] = []
  for (const [at, block] of blocksOf(page)) {
    const isSession = block.some((line) => line.startsWith('$ '))
    for (let index = 0; index < block.length; index++) {
      const line = block[index] ?? ''
      if (line.trim() === '' || line.startsWith('#') || (isSession && !line.startsWith('$ '))) continue
      const length = lengthOf(block.slice(index))
      const text = block
        .slice(index, index + length)
        .join('\n')
        .replace(/^\$ /, '')
      commands.push({ line: at + index, text })
      index += length - 1
    }
  }
  return commands
}

/** As it stands in a table of a test: one line, without its comment. */
export const nameOf = ({ text }: DocumentCommand): string =>
  (text.split('\n')[0] ?? '')
    .replace(/\s+#\s.*$/, '')
    .replace(/^npm exec strata -- /, 'strata ')
    .trim()

function* blocksOf(page: string): Generator<readonly [line: number, block: readonly string[]]> {
  const lines = page.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const [, language] = /^```(.*)$/.exec(lines[index] ?? '') ?? []
    if (language === undefined) continue
    const from = index + 1
    const end = lines.indexOf('```', from)
    if (end < 0) throw new Error(`line ${index + 1}: the block has no end`)
    const block = lines.slice(from, end)
    const first = block.find((line) => line.trim() !== '' && !line.startsWith('#')) ?? ''
    if (languages.includes(language) && programs.test(first)) yield [from + 1, block]
    index = end
  }
}

/** How many lines belong to the command in the first one: to the end of its here-document, or after a backslash or a pipe. */
function lengthOf(lines: readonly string[]): number {
  const [, end] = /<<-?\s*'?(\w+)'?/.exec(lines[0] ?? '') ?? []
  if (end !== undefined) {
    const last = lines.indexOf(end)
    if (last < 0) throw new Error(`a here-document has no ${end}`)
    return last + 1
  }
  const last = lines.findIndex((line) => !/[\\|]\s*$/.test(line))
  return last + 1
}
