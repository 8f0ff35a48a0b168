// Prints what libsdformat 12 makes of description files, one line of JSON for each file named on
// standard input, with the same flattening and names as scene_sim.description.
//
// Poses are x y z qx qy qz qw: links, joints and frames in their top model, everything else in its
// link or in the world.

#include <cmath>
#include <iostream>
#include <sstream>
#include <string>

#include <sdf/sdf.hh>

using ignition::math::Pose3d;

namespace {

/// A JSON value under construction: text of an object or array without its end.
class Json {
 public:
  explicit Json(char open) : text_(1, open) {}
  Json &Key(const std::string &key) {
    Comma();
    text_ += Quoted(key) + ":";
    fresh_ = true;
    return *this;
  }
  Json &Raw(const std::string &value) {
    Comma();
    text_ += value;
    return *this;
  }
  Json &Number(double value) {
    std::ostringstream stream;
    stream.precision(17);
    stream << value;
    if (std::isnan(value)) return Raw("NaN");
    if (std::isinf(value)) return Raw(value > 0 ? "Infinity" : "-Infinity");
    return Raw(stream.str());
  }
  Json &Flag(bool value) { return Raw(value ? "true" : "false"); }
  Json &String(const std::string &value) { return Raw(Quoted(value)); }
  std::string End(char close) const { return text_ + close; }

  static std::string Quoted(const std::string &value) {
    std::string out = "\"";
    for (char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
  }

 private:
  void Comma() {
    if (!fresh_) text_ += ",";
    fresh_ = false;
  }
  std::string text_;
  bool fresh_ = true;
};

std::string Numbers(std::initializer_list<double> values) {
  Json list('[');
  for (double value : values) list.Number(value);
  return list.End(']');
}

std::string PoseText(const Pose3d &p) {
  return Numbers({p.X(), p.Y(), p.Z(), p.Rot().X(), p.Rot().Y(), p.Rot().Z(), p.Rot().W()});
}

std::string VectorText(const ignition::math::Vector3d &v) {
  return Numbers({v.X(), v.Y(), v.Z()});
}

std::string ColourText(const ignition::math::Color &c) {
  return Numbers({c.R(), c.G(), c.B(), c.A()});
}

/// Resolves a pose and keeps the errors.
Pose3d Resolved(const sdf::SemanticPose &pose, const std::string &to, sdf::Errors &errors) {
  Pose3d out;
  for (const auto &error : pose.Resolve(out, to)) errors.push_back(error);
  return out;
}

std::string GeometryText(const sdf::Geometry &g) {
  Json out('{');
  switch (g.Type()) {
    case sdf::GeometryType::BOX:
      out.Key("Box").Raw(VectorText(g.BoxShape()->Size()));
      break;
    case sdf::GeometryType::CYLINDER:
      out.Key("Cylinder").Raw(Numbers({g.CylinderShape()->Radius(), g.CylinderShape()->Length()}));
      break;
    case sdf::GeometryType::CAPSULE:
      out.Key("Capsule").Raw(Numbers({g.CapsuleShape()->Radius(), g.CapsuleShape()->Length()}));
      break;
    case sdf::GeometryType::SPHERE:
      out.Key("Sphere").Raw(Numbers({g.SphereShape()->Radius()}));
      break;
    case sdf::GeometryType::ELLIPSOID:
      out.Key("Ellipsoid").Raw(VectorText(g.EllipsoidShape()->Radii()));
      break;
    case sdf::GeometryType::PLANE: {
      const auto n = g.PlaneShape()->Normal();
      const auto s = g.PlaneShape()->Size();
      out.Key("Plane").Raw(Numbers({n.X(), n.Y(), n.Z(), s.X(), s.Y()}));
      break;
    }
    case sdf::GeometryType::MESH:
      out.Key("Mesh").Raw(VectorText(g.MeshShape()->Scale()));
      break;
    default:
      out.Key("other").Number(static_cast<int>(g.Type()));
  }
  return out.End('}');
}

std::string NoiseText(const sdf::Noise &n) {
  Json out('[');
  out.Number(static_cast<int>(n.Type())).Number(n.Mean()).Number(n.StdDev()).Number(n.BiasMean());
  out.Number(n.BiasStdDev()).Number(n.DynamicBiasStdDev());
  out.Number(n.DynamicBiasCorrelationTime()).Number(n.Precision());
  return out.End(']');
}

std::string LightText(const sdf::Light &light, const Pose3d &pose) {
  Json out('{');
  out.Key("name").String(light.Name());
  out.Key("type").Number(static_cast<int>(light.Type()));
  out.Key("pose").Raw(PoseText(pose));
  out.Key("diffuse").Raw(ColourText(light.Diffuse()));
  out.Key("specular").Raw(ColourText(light.Specular()));
  out.Key("cast_shadows").Flag(light.CastShadows());
  out.Key("intensity").Number(light.Intensity());
  out.Key("direction").Raw(VectorText(light.Direction()));
  out.Key("attenuation")
      .Raw(Numbers({light.AttenuationRange(), light.ConstantAttenuationFactor(),
                    light.LinearAttenuationFactor(), light.QuadraticAttenuationFactor()}));
  out.Key("spot").Raw(Numbers({light.SpotInnerAngle().Radian(), light.SpotOuterAngle().Radian(),
                               light.SpotFalloff()}));
  return out.End('}');
}

std::string LidarText(const sdf::Lidar &l) {
  Json out('{');
  out.Key("horizontal")
      .Raw(Numbers({static_cast<double>(l.HorizontalScanSamples()), l.HorizontalScanResolution(),
                    l.HorizontalScanMinAngle().Radian(), l.HorizontalScanMaxAngle().Radian()}));
  out.Key("vertical")
      .Raw(Numbers({static_cast<double>(l.VerticalScanSamples()), l.VerticalScanResolution(),
                    l.VerticalScanMinAngle().Radian(), l.VerticalScanMaxAngle().Radian()}));
  out.Key("range").Raw(Numbers({l.RangeMin(), l.RangeMax(), l.RangeResolution()}));
  out.Key("noise").Raw(NoiseText(l.LidarNoise()));
  return out.End('}');
}

std::string CameraText(const sdf::Camera &c) {
  Json out('{');
  out.Key("size").Raw(Numbers({static_cast<double>(c.ImageWidth()),
                               static_cast<double>(c.ImageHeight())}));
  out.Key("format").String(c.PixelFormatStr());
  out.Key("hfov").Number(c.HorizontalFov().Radian());
  out.Key("clip").Raw(Numbers({c.NearClip(), c.FarClip()}));
  out.Key("noise").Raw(NoiseText(c.ImageNoise()));
  const auto centre = c.DistortionCenter();
  out.Key("distortion")
      .Raw(Numbers({c.DistortionK1(), c.DistortionK2(), c.DistortionK3(), c.DistortionP1(),
                    c.DistortionP2(), centre.X(), centre.Y()}));
  if (c.HasLensIntrinsics())
    out.Key("intrinsics")
        .Raw(Numbers({c.LensIntrinsicsFx(), c.LensIntrinsicsFy(), c.LensIntrinsicsCx(),
                      c.LensIntrinsicsCy(), c.LensIntrinsicsSkew()}));
  out.Key("pose").Raw(PoseText(c.RawPose()));
  return out.End('}');
}

std::string ImuText(const sdf::Imu &i) {
  Json out('[');
  for (const auto &noise :
       {i.AngularVelocityXNoise(), i.AngularVelocityYNoise(), i.AngularVelocityZNoise(),
        i.LinearAccelerationXNoise(), i.LinearAccelerationYNoise(), i.LinearAccelerationZNoise()})
    out.Raw(NoiseText(noise));
  return out.End(']');
}

std::string OtherSensorText(const sdf::Sensor &s) {
  Json out('[');
  if (const auto *m = s.MagnetometerSensor())
    for (const auto &noise : {m->XNoise(), m->YNoise(), m->ZNoise()}) out.Raw(NoiseText(noise));
  if (const auto *a = s.AltimeterSensor())
    for (const auto &noise : {a->VerticalPositionNoise(), a->VerticalVelocityNoise()})
      out.Raw(NoiseText(noise));
  if (const auto *p = s.AirPressureSensor())
    out.Raw(NoiseText(p->PressureNoise())).Number(p->ReferenceAltitude());
  if (const auto *n = s.NavSatSensor())
    for (const auto &noise : {n->HorizontalPositionNoise(), n->VerticalPositionNoise(),
                              n->HorizontalVelocityNoise(), n->VerticalVelocityNoise()})
      out.Raw(NoiseText(noise));
  return out.End(']');
}

std::string SensorText(const sdf::Sensor &s, sdf::Errors &errors) {
  Json out('{');
  out.Key("name").String(s.Name());
  out.Key("type").String(s.TypeStr());
  out.Key("topic").String(s.Topic());
  out.Key("update_rate").Number(s.UpdateRate());
  out.Key("pose").Raw(PoseText(Resolved(s.SemanticPose(), "", errors)));
  if (s.LidarSensor()) out.Key("lidar").Raw(LidarText(*s.LidarSensor()));
  if (s.CameraSensor()) out.Key("camera").Raw(CameraText(*s.CameraSensor()));
  if (s.ImuSensor()) out.Key("imu").Raw(ImuText(*s.ImuSensor()));
  out.Key("other").Raw(OtherSensorText(s));
  return out.End('}');
}

std::string MaterialText(const sdf::Material *m) {
  if (!m) return "null";
  Json out('[');
  for (const auto &c : {m->Ambient(), m->Diffuse(), m->Specular(), m->Emissive()})
    out.Raw(ColourText(c));
  return out.End(']');
}

/// Returns the element at the end of a path of tags, null where there is none.
sdf::ElementPtr Below(sdf::ElementPtr element, std::initializer_list<const char *> tags) {
  for (const char *tag : tags) {
    if (!element || !element->HasElement(tag)) return nullptr;
    element = element->GetElement(tag);
  }
  return element;
}

std::string LinkText(const sdf::Link &link, const std::string &name, const Pose3d &pose,
                     sdf::Errors &errors) {
  Json visuals('['), collisions('['), sensors('['), lights('[');
  for (uint64_t i = 0; i < link.VisualCount(); ++i) {
    const auto &v = *link.VisualByIndex(i);
    Json out('{');
    out.Key("name").String(v.Name());
    out.Key("pose").Raw(PoseText(Resolved(v.SemanticPose(), "", errors)));
    out.Key("geometry").Raw(GeometryText(*v.Geom()));
    out.Key("transparency").Number(v.Transparency());
    out.Key("cast_shadows").Flag(v.CastShadows());
    out.Key("material").Raw(MaterialText(v.Material()));
    visuals.Raw(out.End('}'));
  }
  for (uint64_t i = 0; i < link.CollisionCount(); ++i) {
    const auto &c = *link.CollisionByIndex(i);
    Json out('{');
    out.Key("name").String(c.Name());
    out.Key("pose").Raw(PoseText(Resolved(c.SemanticPose(), "", errors)));
    out.Key("geometry").Raw(GeometryText(*c.Geom()));
    if (auto ode = Below(c.Element(), {"surface", "friction", "ode"}))
      out.Key("mu").Raw(Numbers({ode->Get<double>("mu"), ode->Get<double>("mu2")}));
    collisions.Raw(out.End('}'));
  }
  for (uint64_t i = 0; i < link.SensorCount(); ++i)
    sensors.Raw(SensorText(*link.SensorByIndex(i), errors));
  for (uint64_t i = 0; i < link.LightCount(); ++i) {
    const auto &light = *link.LightByIndex(i);
    lights.Raw(LightText(light, Resolved(light.SemanticPose(), "", errors)));
  }
  const auto &inertial = link.Inertial();
  const auto &m = inertial.MassMatrix();
  Json out('{');
  out.Key("name").String(name);
  out.Key("pose").Raw(PoseText(pose));
  out.Key("mass").Number(m.Mass());
  out.Key("inertia").Raw(Numbers({m.Ixx(), m.Iyy(), m.Izz(), m.Ixy(), m.Ixz(), m.Iyz()}));
  out.Key("inertial_pose").Raw(PoseText(inertial.Pose()));
  out.Key("visuals").Raw(visuals.End(']'));
  out.Key("collisions").Raw(collisions.End(']'));
  out.Key("sensors").Raw(sensors.End(']'));
  out.Key("lights").Raw(lights.End(']'));
  return out.End('}');
}

std::string AxisText(const sdf::JointAxis *axis, const std::string &joint, sdf::Errors &errors) {
  if (!axis) return "null";
  ignition::math::Vector3d xyz;
  for (const auto &error : axis->ResolveXyz(xyz, joint)) errors.push_back(error);
  Json out('[');
  for (double value : {xyz.X(), xyz.Y(), xyz.Z(), axis->Lower(), axis->Upper(), axis->Effort(),
                       axis->MaxVelocity(), axis->Damping(), axis->Friction(),
                       axis->SpringReference(), axis->SpringStiffness()})
    out.Number(value);
  return out.End(']');
}

struct Parts {
  Json links{'['}, joints{'['}, frames{'['}, plugins{'['};
};

void Gather(const sdf::Model &model, const std::string &scope, const Pose3d &top, Parts &parts,
            sdf::Errors &errors) {
  const std::string prefix = scope.empty() ? "" : scope + "::";
  for (uint64_t i = 0; i < model.LinkCount(); ++i) {
    const auto &link = *model.LinkByIndex(i);
    const Pose3d pose = top * Resolved(link.SemanticPose(), "__model__", errors);
    parts.links.Raw(LinkText(link, prefix + link.Name(), pose, errors));
  }
  for (uint64_t i = 0; i < model.JointCount(); ++i) {
    const auto &joint = *model.JointByIndex(i);
    const Pose3d pose = top * Resolved(joint.SemanticPose(), "__model__", errors);
    std::string parent, child;
    for (const auto &error : joint.ResolveParentLink(parent)) errors.push_back(error);
    for (const auto &error : joint.ResolveChildLink(child)) errors.push_back(error);
    Json out('{');
    out.Key("name").String(prefix + joint.Name());
    out.Key("type").Number(static_cast<int>(joint.Type()));
    out.Key("pose").Raw(PoseText(pose));
    out.Key("parent").String(parent == "world" ? parent : prefix + parent);
    out.Key("child").String(prefix + child);
    out.Key("axis").Raw(AxisText(joint.Axis(0), joint.Name(), errors));
    out.Key("axis2").Raw(AxisText(joint.Axis(1), joint.Name(), errors));
    parts.joints.Raw(out.End('}'));
  }
  for (uint64_t i = 0; i < model.FrameCount(); ++i) {
    const auto &frame = *model.FrameByIndex(i);
    std::string body;
    for (const auto &error : frame.ResolveAttachedToBody(body)) errors.push_back(error);
    Json out('{');
    out.Key("name").String(prefix + frame.Name());
    out.Key("pose").Raw(PoseText(top * Resolved(frame.SemanticPose(), "__model__", errors)));
    out.Key("attached_to").String(body == "__model__" ? "" : prefix + body);
    parts.frames.Raw(out.End('}'));
  }
  if (auto element = model.Element())
    for (auto plugin = element->FindElement("plugin"); plugin;
         plugin = plugin->GetNextElement("plugin"))
      parts.plugins.String(plugin->Get<std::string>("filename"));
  for (uint64_t i = 0; i < model.ModelCount(); ++i) {
    const auto &nested = *model.ModelByIndex(i);
    const Pose3d pose = top * Resolved(nested.SemanticPose(), "__model__", errors);
    Gather(nested, prefix + nested.Name(), pose, parts, errors);
  }
}

std::string ModelText(const sdf::Model &model, const Pose3d &pose, sdf::Errors &errors) {
  Parts parts;
  Gather(model, "", Pose3d::Zero, parts, errors);
  Json out('{');
  out.Key("name").String(model.Name());
  out.Key("static").Flag(model.Static());
  out.Key("pose").Raw(PoseText(pose));
  out.Key("canonical_link").String(model.CanonicalLinkAndRelativeName().second);
  out.Key("links").Raw(parts.links.End(']'));
  out.Key("joints").Raw(parts.joints.End(']'));
  out.Key("frames").Raw(parts.frames.End(']'));
  out.Key("plugins").Raw(parts.plugins.End(']'));
  return out.End('}');
}

std::string WorldText(const sdf::World &world, sdf::Errors &errors) {
  Json models('['), lights('['), frames('[');
  for (uint64_t i = 0; i < world.ModelCount(); ++i) {
    const auto &model = *world.ModelByIndex(i);
    models.Raw(ModelText(model, Resolved(model.SemanticPose(), "world", errors), errors));
  }
  for (uint64_t i = 0; i < world.LightCount(); ++i) {
    const auto &light = *world.LightByIndex(i);
    lights.Raw(LightText(light, Resolved(light.SemanticPose(), "world", errors)));
  }
  for (uint64_t i = 0; i < world.FrameCount(); ++i) {
    const auto &frame = *world.FrameByIndex(i);
    std::string body;
    for (const auto &error : frame.ResolveAttachedToBody(body)) errors.push_back(error);
    Json out('{');
    out.Key("name").String(frame.Name());
    out.Key("pose").Raw(PoseText(Resolved(frame.SemanticPose(), "world", errors)));
    out.Key("attached_to").String(body);
    frames.Raw(out.End('}'));
  }
  Json out('{');
  out.Key("name").String(world.Name());
  out.Key("gravity").Raw(VectorText(world.Gravity()));
  out.Key("magnetic_field").Raw(VectorText(world.MagneticField()));
  out.Key("wind").Raw(VectorText(world.WindLinearVelocity()));
  out.Key("step").Number(world.PhysicsByIndex(0)->MaxStepSize());
  if (const auto *scene = world.Scene()) {
    out.Key("ambient").Raw(ColourText(scene->Ambient()));
    out.Key("background").Raw(ColourText(scene->Background()));
    out.Key("shadows").Flag(scene->Shadows());
  }
  if (const auto *s = world.SphericalCoordinates())
    out.Key("spherical").Raw(Numbers({s->LatitudeReference().Degree(),
                                      s->LongitudeReference().Degree(), s->ElevationReference(),
                                      s->HeadingOffset().Degree()}));
  out.Key("models").Raw(models.End(']'));
  out.Key("lights").Raw(lights.End(']'));
  out.Key("frames").Raw(frames.End(']'));
  return out.End('}');
}

std::string FileText(const std::string &file, const sdf::ParserConfig &config) {
  sdf::Root root;
  sdf::Errors errors = root.Load(file, config);
  Json out('{');
  out.Key("file").String(file);
  // Checked only after a load without errors: a half-loaded tree resolves nothing.
  if (errors.empty()) {
    if (root.WorldCount()) out.Key("world").Raw(WorldText(*root.WorldByIndex(0), errors));
    if (root.Model()) {
      const Pose3d pose = root.Model()->RawPose();
      out.Key("placed").Flag(!root.Model()->PlacementFrameName().empty());
      out.Key("model").Raw(ModelText(*root.Model(), pose, errors));
    }
  }
  Json messages('[');
  for (const auto &error : errors) messages.String(error.Message());
  out.Key("errors").Raw(messages.End(']'));
  return out.End('}');
}

}  // namespace

int main(int argc, char **argv) {
  sdf::Console::Instance()->SetQuiet(true);
  sdf::ParserConfig config;
  for (int i = 1; i < argc; ++i) config.AddURIPath("model://", argv[i]);
  for (std::string file; std::getline(std::cin, file);)
    std::cout << FileText(file, config) << std::endl;
  return 0;
}
