const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

/** The problems of a name; empty if it is valid. The texts are upstream's; scripts match them. */
export type NameRule = (name: string) => readonly string[]

export const dns1123Label: NameRule = (name) => [
  ...(name.length > 63 ? ['must be no more than 63 characters'] : []),
  ...(label.test(name)
    ? []
    : [
        subdomain.test(name)
          ? 'must not contain dots'
          : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ]),
]

export const dns1123Subdomain: NameRule = (name) => [
  ...(name.length > 253 ? ['must be no more than 253 characters'] : []),
  ...(subdomain.test(name)
    ? []
    : [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ]),
]

export const dns1035Label: NameRule = (name) => [
  ...(name.length > 63 ? ['must be no more than 63 characters'] : []),
  ...(label1035.test(name)
    ? []
    : [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ]),
]

/** A label's or annotation's key: an optional DNS prefix and a name of at most 63 characters. */
export const qualifiedName: NameRule = (name) => {
  const slash = name.indexOf('/')
  const [prefix, last] = slash < 0 ? [undefined, name] : [name.slice(0, slash), name.slice(slash + 1)]
  if (last.includes('/')) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ]
  }
  const problems: string[] = []
  if (prefix === '') problems.push('prefix part must be non-empty')
  else if (prefix !== undefined)
    problems.push(...dns1123Subdomain(prefix).map((each) => `prefix part ${each}`))
  if (last === '') problems.push('name part must be non-empty')
  else if (last.length > 63) problems.push('name part must be no more than 63 bytes')
  if (!qualified.test(last)) {
    problems.push(
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    )
  }
  return problems
}

export const labelValueRule: NameRule = (value) => [
  ...(value.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...(labelValue.test(value)
    ? []
    : [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ]),
]

/** The rules for every name, because it becomes part of a path. A kind may have further rules. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return [
    ...(name.includes('/') ? ["may not contain '/'"] : []),
    ...(name.includes('%') ? ["may not contain '%'"] : []),
  ]
}
