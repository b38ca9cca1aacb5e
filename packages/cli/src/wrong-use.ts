/**
 * What commander says about wrong arguments, in the form of every other error of this program: one line that begins with
 * `strata: `, and names the flag with its value first.
 */
export function describeWrongUse(said: string): string {
  const [what = '', ...hints] = said
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  const isCommand = what.startsWith('unknown command ')
  const meant = hints.map((each) =>
    each.replace(/^\(Did you mean (?:one of )?(.+)\?\)$/, (_, names: string) =>
      isCommand
        ? ` (did you mean ${names.split(', ').map(quoted).join(' or ')}?)`
        : ` (did you mean ${names}?)`,
    ),
  )
  const help = isCommand ? '--help lists the commands' : '--help lists the flags, with examples'
  const sentence = (invalidValue(what) ?? what.replaceAll(/'([^']+)'/g, '"$1"')).replace(/\.$/, '')
  return `strata: ${sentence}${meant.join('')}; ${help}\n`
}

const quoted = (name: string): string => JSON.stringify(name)

/** `--qps 0: give a whole number, 1 or more.` */
function invalidValue(what: string): string | undefined {
  const [, flags = '', value = '', why = ''] =
    /^option '(.+?)' argument '(.*)' is invalid\. ?(.*)$/s.exec(what) ?? []
  const [, long] = /(--[\w-]+)/.exec(flags) ?? []
  if (long === undefined) return undefined
  return `${long} ${value}: ${why.charAt(0).toLowerCase()}${why.slice(1)}`
}
