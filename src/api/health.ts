import { Type } from "typebox";

export const HealthView = Type.Object({ status: Type.Enum(["ok", "unavailable"]) }, { title: "Health" });
