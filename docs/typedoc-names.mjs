// A plugin of TypeDoc: its modules are named as users import them ("sluice/browser"), not by their folders ("browser").
import { Converter, ReflectionKind } from "typedoc";

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module))
      module.name = module.name === "index" ? "sluice" : `sluice/${module.name}`;
  });
}
