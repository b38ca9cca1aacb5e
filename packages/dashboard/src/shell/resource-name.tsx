/** The plural is what people look for; the group is beside it. */
export const ResourceName = ({ name }: { readonly name: string }) => {
  const dot = name.indexOf('.')
  if (dot < 0) return <span class="resource">{name}</span>
  return (
    <span class="resource">
      {name.slice(0, dot)}
      <span class="resource-group">{name.slice(dot)}</span>
    </span>
  )
}
