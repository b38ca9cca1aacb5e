/** Flags that several commands have, by what they are about. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'What:': [
    ...['--all', '--include-current', '--namespace', '--selector', '--field-selector', '--plan', '--version'],
    '--recursive',
  ],
  'Pace:': ['--concurrency', '--parallelism', '--qps', '--page-size'],
  'Proof:': ['--accept', '--accept-loss', '--agreement-timeout'],
  'Writing:': [
    ...['--dry-run', '--yes', '--back', '--force-conflicts', '--through-api', '--take-over', '--no-wait'],
    '--out',
  ],
}

const headingOf = (flag: string): string | undefined =>
  Object.entries(kinds).find(([, flags]) => flags.includes(flag))?.[0]

/** The headings for the own flags of a command. A command with few kinds of flags is easier to read without them. */
export function decideHeadings(command: string, flags: readonly string[]): ReadonlyMap<string, string> {
  const isLong = new Set(flags.flatMap((each) => headingOf(each) ?? [])).size >= 3
  const own = `Flags of ${command}:`
  return new Map(flags.map((each) => [each, (isLong ? headingOf(each) : undefined) ?? own]))
}
