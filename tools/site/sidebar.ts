export interface SidebarGroup {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** The list of all pages, docs/README.md, as a sidebar: its headings are groups, its table rows are pages. */
export function sidebarOf(list: string): readonly SidebarGroup[] {
  return list
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = ''] = section.split('\n')
      const rows = section.matchAll(/^\|[^|]*\| \[([^\]]+)\]\(([^)]+)\) \|$/gm)
      const items = Array.from(rows, ([, label = '', file = '']) => ({
        text: titleOf(label),
        link: `/docs/${file.replace(/README\.md$/, '').replace(/\.md$/, '')}`,
      }))
      return { text, items }
    })
}

function titleOf(label: string): string {
  const words = label.replace(/\.md$/, '').split('/').at(-1)?.replaceAll('-', ' ') ?? ''
  return `${words[0]?.toUpperCase()}${words.slice(1)}`.replace(/^Crd/, 'CRD')
}
