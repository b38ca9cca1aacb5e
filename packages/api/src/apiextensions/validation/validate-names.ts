import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { dns1035Label } from '../../machinery/name-rules.ts'
import type { CustomResourceDefinitionNames } from '../custom-resource-definition.ts'

/** Validates the names that are set. Which names are required is checked elsewhere. */
export function validateNames(names: CustomResourceDefinitionNames, path: string): FieldError[] {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names
  const label = (name: string, at: string): FieldError[] => check(name, name, at, '')
  const mixed = (name: string, at: string): FieldError[] =>
    check(name, name.toLowerCase(), at, 'may have mixed case, but should otherwise match: ')
  return [
    ...(plural === '' ? [] : label(plural, `${path}.plural`)),
    ...(singular === '' ? [] : label(singular, `${path}.singular`)),
    ...(kind === '' ? [] : mixed(kind, `${path}.kind`)),
    ...(listKind === '' ? [] : mixed(listKind, `${path}.listKind`)),
    ...shortNames.flatMap((each, index) => label(each, `${path}.shortNames[${index}]`)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((each, index) => label(each, `${path}.categories[${index}]`)),
  ]
}

function check(name: string, checked: string, path: string, words: string): FieldError[] {
  const problems = dns1035Label(checked)
  return problems.length === 0 ? [] : [invalid(path, name, words + problems.join(','))]
}
