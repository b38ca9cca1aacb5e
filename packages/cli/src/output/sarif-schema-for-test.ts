import type { JsonSchema } from './json-schema-for-test.ts'

/**
 * The part of the OASIS schema of SARIF 2.1.0 that `-o sarif` uses, in our words: no package carries that schema as data. It is
 * stricter than the original, which takes any other known field, and most of these as optional. A new field in the output is
 * first looked up there (sarif-schema-2.1.0.json), and then added here.
 */
export const sarifSchema: JsonSchema = {
  ...{ type: 'object', required: ['$schema', 'version', 'runs'] },
  properties: {
    $schema: { type: 'string', format: 'uri' },
    version: { type: 'string', enum: ['2.1.0'] },
    runs: { type: 'array', minItems: 1, items: run() },
  },
}

function run(): JsonSchema {
  return {
    ...{ type: 'object', required: ['tool', 'automationDetails', 'results'] },
    properties: {
      tool: {
        ...{ type: 'object', required: ['driver'] },
        properties: {
          driver: {
            ...{ type: 'object', required: ['name', 'rules'] },
            properties: {
              name: { type: 'string', pattern: '.' },
              rules: { type: 'array', uniqueItems: true, items: reportingDescriptor() },
            },
          },
        },
      },
      automationDetails: {
        ...{ type: 'object', required: ['id'] },
        properties: { id: { type: 'string', pattern: '^strata/[a-z -]+/$' } },
      },
      results: { type: 'array', items: result() },
    },
  }
}

function reportingDescriptor(): JsonSchema {
  return {
    ...{ type: 'object', required: ['id', 'shortDescription'] },
    properties: { id: { type: 'string', pattern: String.raw`^\S+$` }, shortDescription: message() },
  }
}

function message(): JsonSchema {
  return { type: 'object', required: ['text'], properties: { text: { type: 'string', pattern: '.' } } }
}

function result(): JsonSchema {
  return {
    type: 'object',
    required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
    properties: {
      ruleId: { type: 'string' },
      ruleIndex: { type: 'integer', minimum: 0 },
      level: { type: 'string', enum: ['none', 'note', 'warning', 'error'] },
      message: message(),
      locations: { type: 'array', minItems: 1, items: location() },
      partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
    },
  }
}

function location(): JsonSchema {
  return {
    ...{ type: 'object', required: ['logicalLocations'] },
    properties: {
      physicalLocation: {
        ...{ type: 'object', required: ['artifactLocation', 'region'] },
        properties: {
          artifactLocation: {
            ...{ type: 'object', required: ['uri'] },
            properties: { uri: { type: 'string', format: 'uri-reference' } },
          },
          region: {
            ...{ type: 'object', required: ['startLine'] },
            properties: { startLine: { type: 'integer', minimum: 1 } },
          },
        },
      },
      logicalLocations: {
        ...{ type: 'array', minItems: 1, uniqueItems: true },
        items: {
          ...{ type: 'object', required: ['fullyQualifiedName', 'kind'] },
          properties: {
            fullyQualifiedName: { type: 'string', pattern: '.' },
            kind: { type: 'string', enum: ['resource'] },
          },
        },
      },
    },
  }
}
