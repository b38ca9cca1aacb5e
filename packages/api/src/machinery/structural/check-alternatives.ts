import { type Findings, noFindings, problemAt } from './findings.ts'
import type { SchemaNode } from './schema-node.ts'
import type { ValueCheck } from './value-check.ts'

/** anyOf, oneOf, allOf and not, in upstream's order. Undefined where there is none of them. */
export function compileAlternativesCheck(node: SchemaNode): ValueCheck | undefined {
  const { schema } = node
  const nodes = (schemas: SchemaNode['schema']['allOf'] = []): readonly SchemaNode[] =>
    schemas.map((each) => node.alternative(each))
  const [anyOf, oneOf, allOf] = [nodes(schema.anyOf), nodes(schema.oneOf), nodes(schema.allOf)]
  const not = schema.not && node.alternative(schema.not)
  if (anyOf.length + oneOf.length + allOf.length === 0 && !not) return undefined
  return (value, name, findings, old) => {
    const run = (each: SchemaNode): Findings => {
      const own = noFindings()
      each.check(value, name, own, old)
      return own
    }
    if (anyOf.length > 0) checkAnyOf(anyOf, run, name, findings)
    if (oneOf.length > 0) checkOneOf(oneOf, run, name, findings)
    if (allOf.length > 0) checkAllOf(allOf, run, name, findings)
    if (not && run(not).found.length === 0) {
      findings.found.push(problemAt(`${JSON.stringify(name)} must not validate the schema (not)`))
    }
  }
}

type Run = (node: SchemaNode) => Findings

function add(findings: Findings, more: Findings): void {
  for (const each of more.found) findings.found.push(each)
  findings.matches += more.matches
}

function checkAnyOf(nodes: readonly SchemaNode[], run: Run, name: string, findings: Findings): void {
  let best: Findings | undefined
  for (const node of nodes) {
    const own = run(node)
    if (own.found.length === 0) return add(findings, own)
    if (!best || own.matches > best.matches) best = own
  }
  findings.found.push(problemAt(`${JSON.stringify(name)} must validate at least one schema (anyOf)`))
  if (best) add(findings, best)
}

function checkOneOf(nodes: readonly SchemaNode[], run: Run, name: string, findings: Findings): void {
  let best: Findings | undefined
  const valid: Findings[] = []
  for (const node of nodes) {
    const own = run(node)
    if (own.found.length === 0) valid.push(own)
    else if (valid.length === 0 && (!best || own.matches > best.matches)) best = own
  }
  const [only] = valid
  if (only && valid.length === 1) return add(findings, only)
  const how = only ? `Found ${valid.length} valid alternatives` : 'Found none valid'
  findings.found.push(
    problemAt(`${JSON.stringify(name)} must validate one and only one schema (oneOf). ${how}`),
  )
  if (best && !only) add(findings, best)
}

function checkAllOf(nodes: readonly SchemaNode[], run: Run, name: string, findings: Findings): void {
  let valid = 0
  for (const node of nodes) {
    const own = run(node)
    if (own.found.length === 0) valid++
    add(findings, own)
  }
  if (valid === nodes.length) return
  const how = valid === 0 ? '. None validated' : ''
  findings.found.push(problemAt(`${JSON.stringify(name)} must validate all the schemas (allOf)${how}`))
}
