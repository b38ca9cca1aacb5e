/** The names of a kind, as the files of the starter use them. */
export interface KindNames {
  readonly group: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
}

/** Files of the starter beside that of the kind. */
const fileNames = ['main', 'resources']

/** From `lamps.light.example.dev`, and `Lamp` if the kind is given; or what is wrong with them. */
export function decideNames(resource: string, givenKind?: string): KindNames | { readonly problem: string } {
  const [, plural = '', group = ''] = /^([a-z][a-z0-9]*)\.((?:[a-z0-9-]+\.)+[a-z0-9-]+)$/.exec(resource) ?? []
  if (plural === '') {
    return {
      problem: `${JSON.stringify(resource)} is no resource: give its plural and a group of your own domain, such as gadgets.shop.example.dev`,
    }
  }
  const stem = plural
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1')
  const kind = givenKind ?? `${stem[0]?.toUpperCase()}${stem.slice(1)}`
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind)) {
    return { problem: `--kind ${JSON.stringify(kind)}: a kind begins with a capital letter, such as Gadget` }
  }
  const singular = kind.toLowerCase()
  if (fileNames.includes(singular)) {
    return { problem: `--kind ${JSON.stringify(kind)}: ${singular}.ts is another file of the project` }
  }
  return { group, plural, kind, singular }
}

/** The starter with other names. */
export function rename(text: string, { group, plural, singular, kind }: KindNames): string {
  const names: Readonly<Record<string, string>> = {
    'shop.example.dev': group,
    gadgets: plural,
    Gadgets: `${plural[0]?.toUpperCase()}${plural.slice(1)}`,
    gadget: singular,
    Gadget: kind,
  }
  return text.replace(/shop\.example\.dev|[Gg]adgets?/g, (found) => names[found] ?? found)
}
