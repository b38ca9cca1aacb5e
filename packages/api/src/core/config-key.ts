const key = /^[-._a-zA-Z0-9]+$/

/** What is wrong with a key of a ConfigMap or Secret, which may become the name of a file; empty when nothing is. */
export function configKeyProblems(name: string): string[] {
  if (name.length > 253) return ['must be no more than 253 characters']
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  if (name.startsWith('..')) return ["must not start with '..'"]
  return key.test(name)
    ? []
    : [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ]
}
