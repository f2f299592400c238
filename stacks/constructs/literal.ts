/** Text that Terraform leaves as it is: what would begin an interpolation or a directive is escaped. */
export function literal(text: string): string {
  return text.replaceAll("${", "$$${").replaceAll("%{", "%%{");
}
