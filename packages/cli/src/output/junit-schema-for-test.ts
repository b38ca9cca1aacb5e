import type { XmlElement } from './xml-for-test.ts'

interface ElementSchema {
  /** A pattern for the value of each; a `?` after the name: may be absent. */
  readonly attributes: Readonly<Record<string, RegExp>>
  /** The elements inside, in this order, and how many of each. */
  readonly children: readonly (readonly [names: readonly string[], atLeast: number, atMost: number])[]
  readonly hasText: boolean
}

const text = /^/
const count = /^\d+$/
const seconds = /^\d+(?:\.\d+)?$/
const problem: ElementSchema = { attributes: { 'message?': text, type: text }, children: [], hasText: true }
const output: ElementSchema = { attributes: {}, children: [], hasText: true }

/**
 * What both of JUnit's common schemas take: Ant's (JUnit.xsd, with the order of the elements and most attributes required) and
 * that of Jenkins' xUnit plugin (junit-10.xsd, with fewer attributes known).
 */
const junitSchema: Readonly<Record<string, ElementSchema>> = {
  testsuites: { attributes: {}, children: [[['testsuite'], 0, Infinity]], hasText: false },
  testsuite: {
    attributes: {
      ...{ name: /\S/, package: /^\S.*$/, id: count, hostname: /\S/ },
      ...{ tests: count, failures: count, errors: count, 'skipped?': count, time: seconds },
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
    },
    children: [
      [['properties'], 1, 1],
      [['testcase'], 0, Infinity],
      [['system-out'], 1, 1],
      [['system-err'], 1, 1],
    ],
    hasText: false,
  },
  properties: { attributes: {}, children: [[['property'], 0, Infinity]], hasText: false },
  property: { attributes: { name: /\S/, value: text }, children: [], hasText: false },
  testcase: {
    attributes: { name: /\S/, classname: /\S/, time: seconds },
    children: [[['skipped', 'error', 'failure'], 0, 1]],
    hasText: false,
  },
  skipped: { attributes: { 'message?': text, 'type?': text }, children: [], hasText: true },
  ...{ failure: problem, error: problem, 'system-out': output, 'system-err': output },
}

/** What is wrong with a JUnit report: by the schemas, and where its numbers are not those of its test cases. */
export function junitProblems(root: XmlElement): string[] {
  if (root.name !== 'testsuites') return [`${root.name}: not testsuites`]
  return [...elementProblems(root), ...root.children.flatMap(countProblems)]
}

function elementProblems(element: XmlElement): string[] {
  const { name, attributes, children, text: found } = element
  const schema = Object.hasOwn(junitSchema, name) ? junitSchema[name] : undefined
  if (schema === undefined) return [`${name}: no such element`]
  const known = Object.entries(schema.attributes).map(
    ([key, pattern]) => [key.replace('?', ''), key.endsWith('?'), pattern] as const,
  )
  const names = new Set<string>(known.map(([key]) => key))
  return [
    ...known.flatMap(([key, isOptional, pattern]) => {
      const value = attributes[key]
      if (value === undefined) return isOptional ? [] : [`${name}: no ${key}`]
      return pattern.test(value) ? [] : [`${name}: ${key} is ${JSON.stringify(value)}`]
    }),
    ...Object.keys(attributes).flatMap((key) => (names.has(key) ? [] : [`${name}: no attribute ${key}`])),
    ...(schema.hasText || found.trim() === '' ? [] : [`${name}: text inside`]),
    ...orderProblems(element, schema),
    ...children.flatMap(elementProblems),
  ]
}

function orderProblems({ name, children }: XmlElement, schema: ElementSchema): string[] {
  const left = children.map((each) => each.name)
  const problems = schema.children.flatMap(([names, atLeast, atMost]) => {
    const end = left.findIndex((each) => !names.includes(each))
    const taken = left.splice(0, end === -1 ? left.length : end).length
    return taken >= atLeast && taken <= atMost ? [] : [`${name}: ${taken} × ${names.join(' or ')}`]
  })
  return left.length === 0 ? problems : [...problems, `${name}: ${left[0]} is not expected here`]
}

function countProblems({ attributes, children }: XmlElement): string[] {
  const cases = children.filter(({ name }) => name === 'testcase')
  const having = (end: string): number =>
    cases.filter((each) => each.children.some(({ name }) => name === end)).length
  const counts = {
    ...{ tests: cases.length, failures: having('failure'), errors: having('error') },
    skipped: having('skipped'),
  }
  return Object.entries(counts).flatMap(([key, found]) =>
    Number(attributes[key] ?? 0) === found
      ? []
      : [`testsuite: ${key} is ${attributes[key]}, and it has ${found}`],
  )
}
