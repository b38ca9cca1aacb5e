import { linksOf } from './tidy/links.ts'

/** A package's README as it is published: away from the repository, a link to one of its files is only a name. */
export function publishedReadme(name: string, text: string): string {
  const named = new Map(
    linksOf({ path: `packages/${name}/README.md`, text }).map(({ target, path }) => [target, path]),
  )
  return text.replaceAll(/\[([^\]\n]*)\]\(([^)\s]+)\)/g, (whole, label: string, target: string) => {
    const path = named.get(target)
    return path === undefined ? whole : `${label} (${path} in the repository)`
  })
}

/** The TypeScript in a README, each example a file. */
export const examplesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, code = '']) => code)
