// npm takes flags before `--` for its own: `npm start --servers 5` starts the script with `5` alone, and with
// npm_config_servers=true in its environment.

/** What to type instead; undefined if npm took none of these flags, to which it gives no meaning itself. */
export function describeSwallowed(task, flags, args, environment) {
  const taken = flags.filter((flag) => variableOf(flag) in environment)
  if (taken.length === 0) return undefined
  const given = taken.map((flag) => {
    const value = environment[variableOf(flag)] ?? ''
    return ['', 'true'].includes(value) ? `--${flag}` : `--${flag} ${value}`
  })
  const names = taken.map((flag) => `--${flag}`).join(', ')
  return `npm took ${names} for itself, because "--" is missing: npm ${task} -- ${[...given, ...args].join(' ')}`
}

/** npm reads `--no-x` as x, which is off. */
const variableOf = (flag) => `npm_config_${flag.replace(/^no-/, '').replaceAll('-', '_')}`
