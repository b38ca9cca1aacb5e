type Schema = Readonly<Record<string, unknown>>

const prose =
  'It says what this part of the desired state is used for, which default it has if it is not set, and which other fields cannot be set with it. '
const text = (more: Schema = {}): Schema => ({ type: 'string', description: prose, ...more })

/** About 1,700 bytes with some of everything that schemas of real projects have. */
const section: Schema = {
  type: 'object',
  description: prose,
  required: ['name'],
  properties: {
    name: text({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
    mode: text({ enum: ['Always', 'Never', 'Sometimes'], default: 'Sometimes' }),
    amount: { type: 'integer', format: 'int32', minimum: 0, maximum: 1000 },
    limit: {
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    },
    labels: { type: 'object', additionalProperties: text({ maxLength: 63 }) },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: text(), value: text(), enabled: { type: 'boolean', default: true } },
      },
    },
  },
}

function root(spec: Schema): Schema {
  return { type: 'object', description: prose, properties: { spec, status: section } }
}

/** Sections enough to be as large as the schemas of real projects are, for where those are not at hand. */
export function syntheticSchema(sections: number): Schema {
  return root({ type: 'object', properties: sectionsOf(sections, section) })
}

/** Fewer sections, each with a rule. */
export function syntheticRules(sections: number): Schema {
  const rule = { rule: "self.mode != 'Never' || !has(self.amount)", message: 'never has no amount' }
  return root({
    type: 'object',
    properties: sectionsOf(sections, { ...section, 'x-kubernetes-validations': [rule] }),
  })
}

function sectionsOf(count: number, schema: Schema): Schema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`section${index}`, schema]))
}

/** It fits both: ten sections, about 1,500 bytes. */
export function syntheticObject(): Schema {
  const filled = Array.from({ length: 10 }, (_, index) => [
    `section${index}`,
    {
      name: `name-${index}`,
      mode: 'Always',
      amount: index,
      limit: '50%',
      labels: { team: 'a', tier: 'b' },
      parts: [{ key: 'one', value: 'first' }, { key: 'two' }],
    },
  ])
  return { spec: Object.fromEntries(filled) }
}
