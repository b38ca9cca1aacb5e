export interface YamlDocument {
  readonly text: string
  /** The line of the file in which it begins, from 1. */
  readonly line: number
}

/** Splits a file at the lines that begin with `---`, as kubectl does. Documents without content do not count. */
export function splitDocuments(text: string): readonly YamlDocument[] {
  const documents: YamlDocument[] = []
  let lines: string[] = []
  let first = 1
  const end = (): void => {
    if (lines.some(hasContent)) documents.push({ text: lines.join('\n'), line: first })
  }
  const all = text.split('\n')
  for (const [index, line] of all.entries()) {
    if (!isSeparator(line)) {
      lines.push(line)
      continue
    }
    end()
    lines = []
    first = index + 2
  }
  end()
  return documents
}

const isSeparator = (line: string): boolean => /^---(?:\s|$)/.test(line)
const hasContent = (line: string): boolean => !/^\s*(?:#.*|\.\.\.\s*|%.*)?$/.test(line)
